/** Waiting that ends early. */

/**
 * Wait, at most until the signal aborts.
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
    return new Promise(resolve => {
        const done = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', done);
            resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener('abort', done);
        if (signal?.aborted) done();
    });
}

/**
 * What a promise gives, or `undefined` as soon as the signal aborts. The promise itself goes on.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T|undefined>}
 */
export function orAborted(promise, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => resolve(undefined);
        signal.addEventListener('abort', stop);
        if (signal.aborted) stop();
        promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
}

/**
 * A controller that also aborts with any of these signals.
 * @param {...AbortSignal} outer
 * @returns {AbortController}
 */
export function childController(...outer) {
    const controller = new AbortController();
    for (const signal of outer) {
        if (signal.aborted) controller.abort();
        else signal.addEventListener('abort', () => controller.abort(), { signal: controller.signal });
    }
    return controller;
}

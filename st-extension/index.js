/** Where SillyTavern enters. Nothing is awaited here: it waits for this module before it starts. */

import { Bridge } from './src/bridge.js';
import { onEvent } from './src/host.js';

const bridge = new Bridge();

/** Named in `manifest.json`; SillyTavern looks for it on the global object only. */
Object.assign(globalThis, {
    stBmeBridgeIntercept: (
        /** @type {unknown} */ _chat,
        /** @type {number} */ contextSize,
        /** @type {unknown} */ _abort,
        /** @type {string|undefined} */ type,
    ) => bridge.intercept(contextSize, type),
    stBmeBridge: Object.freeze({ status: () => bridge.status() }),
});

onEvent('APP_READY', () => bridge.start());

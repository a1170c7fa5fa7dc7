/**
 * One request to the server: straight from the browser, or through SillyTavern's own `/proxy/` route where the
 * browser may not reach it. A proxy changes statuses, so that only the body tells an error.
 */

import { Refused, SERVER_NAME, Unreachable, randomId } from './protocol.js';

/**
 * @typedef {'direct'|'proxy'} Way
 * @typedef {{ url: string, way: Way, token: string }} Target
 * @typedef {{ body?: object, signal?: AbortSignal, timeoutMs?: number, keepalive?: boolean,
 *     headers?: { [name: string]: string } }} Options
 */

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * The address as it is kept and compared: scheme, host and port, perhaps a path. Null if it is none.
 * @param {string} text
 * @returns {string|null}
 */
export function cleanUrl(text) {
    try {
        const url = new URL(text.trim());
        if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return null;
        return url.origin + url.pathname.replace(/\/+$/, '');
    } catch {
        return null;
    }
}

/**
 * Ask, and give the answer's JSON.
 * @param {Target} target
 * @param {string} path for instance `/v1/chat/recall`
 * @param {Options} [options] a body makes it a POST
 * @returns {Promise<any>}
 */
export async function request(target, path, { timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...options } = {}) {
    const limit = new AbortController();
    const stop = () => limit.abort(new Unreachable('stopped', 'nobody waits for the answer any more'));
    const timer = setTimeout(() => limit.abort(new Unreachable('timeout', `no answer in ${timeoutMs} ms`)), timeoutMs);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    try {
        const response = await open(target, path, { ...options, signal: limit.signal });
        return await readAnswer(response);
    } catch (error) {
        throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
    }
}

/**
 * Send, and give the response before its body is read.
 * @param {Target} target
 * @param {string} path
 * @param {Options} options
 * @returns {Promise<Response>}
 */
export async function open({ url, way, token }, path, { body, signal, headers, keepalive }) {
    const address = way === 'proxy' ? `/proxy/${url}${path}` : url + path;
    /** @type {{ [name: string]: string }} */
    const sent = { ...headers };
    if (token) sent.Authorization = `Bearer ${token}`;
    if (body) sent['Content-Type'] = 'application/json';
    try {
        return await fetch(address, {
            method: body ? 'POST' : 'GET',
            headers: sent,
            body: body ? JSON.stringify({ id: randomId(), ...body }) : undefined,
            credentials: way === 'proxy' ? 'same-origin' : 'omit',
            cache: 'no-store',
            redirect: 'error',
            signal,
            keepalive,
        });
    } catch (error) {
        throw new Unreachable('network', String(error));
    }
}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function readAnswer(response) {
    const text = await response.text();
    const answer = parse(text);
    if (answer === null) throw new Unreachable('not_ours', `status ${response.status}, no JSON`);
    if (typeof answer.code === 'string' && typeof answer.error === 'string') throw new Refused(answer.code, answer.error);
    if (!response.ok) throw new Unreachable('not_ours', `status ${response.status}`);
    return answer;
}

/**
 * @param {string} text
 * @returns {any} null if it is no JSON object
 */
function parse(text) {
    try {
        const value = JSON.parse(text);
        return value !== null && typeof value === 'object' ? value : null;
    } catch {
        return null;
    }
}

/**
 * Ask who is there, without the token: another program on this port must not get it.
 * @param {Target} target
 * @param {Options} options
 * @returns {Promise<import('./protocol.js').Hello>}
 */
export async function askHello(target, options) {
    const hello = await request({ ...target, token: '' }, '/v1/hello', options);
    if (hello.name !== SERVER_NAME) throw new Unreachable('not_ours', 'another program answers there');
    return target.token ? await request(target, '/v1/hello', options) : hello;
}

/** Why the browser could not reach the server, as far as a page may know: `fetch` itself only says that it failed. */

/**
 * @typedef {'server_off'|'server_off_or_refused'|'wrong_server'|'blocked_mixed_content'|'blocked_other_machine'
 *     |'blocked_permission'|'blocked_origin'} Why
 *
 * @typedef {object} Signs
 * @property {string} pageUrl
 * @property {string} serverUrl
 * @property {'granted'|'prompt'|'denied'|'unknown'} permission of the page to reach this machine or the local network
 * @property {boolean} answersOpaquely something answered where the page may not read it
 */

/**
 * @param {Signs} signs
 * @returns {Why}
 */
export function whyUnreachable({ pageUrl, serverUrl, permission, answersOpaquely }) {
    const page = new URL(pageUrl);
    const server = new URL(serverUrl);
    // Our server lets every page of its own machine say hello: what does not is another program.
    if (answersOpaquely) return isLoopback(page.hostname) ? 'wrong_server' : 'blocked_origin';
    if (page.protocol === 'https:' && server.protocol === 'http:' && !isLoopback(server.hostname)) {
        return 'blocked_mixed_content';
    }
    if (isLoopback(page.hostname)) return 'server_off';
    if (!isLoopback(server.hostname)) return 'server_off_or_refused';
    // The page came from another machine: 127.0.0.1 is the device that shows it. Only a page on https may be allowed.
    const isUnanswered = permission === 'denied' || permission === 'prompt';
    return isUnanswered && page.protocol === 'https:' ? 'blocked_permission' : 'blocked_other_machine';
}

/**
 * @param {string} host
 * @returns {boolean}
 */
export function isLoopback(host) {
    return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Look for signs; takes as long as the browser needs to fail once more.
 * @param {string} serverUrl
 * @returns {Promise<Why>}
 */
export async function diagnose(serverUrl) {
    const [permission, answersOpaquely] = await Promise.all([readPermission(serverUrl), knocks(serverUrl)]);
    return whyUnreachable({ pageUrl: location.href, serverUrl, permission, answersOpaquely });
}

/**
 * @param {string} serverUrl
 * @returns {Promise<boolean>}
 */
async function knocks(serverUrl) {
    try {
        await fetch(`${serverUrl}/v1/hello`, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.timeout(2000) });
        return true;
    } catch {
        return false;
    }
}

/**
 * @param {string} serverUrl
 * @returns {Promise<Signs['permission']>}
 */
async function readPermission(serverUrl) {
    const names = isLoopback(new URL(serverUrl).hostname)
        ? ['loopback-network', 'local-network-access']
        : ['local-network', 'local-network-access'];
    for (const name of names) {
        try {
            return (await navigator.permissions.query({ name: /** @type {PermissionName} */ (name) })).state;
        } catch {
            // This browser has no permission of that name.
        }
    }
    return 'unknown';
}

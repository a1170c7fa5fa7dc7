/**
 * Asks the server to read what is not remembered yet of the open chat.
 *
 * @typedef {import('./open-chat.js').OpenChat} OpenChat
 * @typedef {import('./protocol.js').CatchUpState} CatchUpState
 * @typedef {import('./ui/catch-up.js').Reader} Reader
 */

const TIMEOUT_MS = 60_000;

/**
 * @param {Pick<OpenChat, 'attachment'>} chat
 * @returns {Reader}
 */
export function readerOf(chat) {
    /**
     * @param {string} command
     * @param {object} body
     */
    const ask = async (command, body) => {
        if (chat.attachment === null) throw new Error('no chat is attached');
        return /** @type {CatchUpState} */ (await chat.attachment.ask(command, { ...body }, { timeoutMs: TIMEOUT_MS }));
    };
    return {
        price: span => ask('catch-up/price', span),
        start: span => ask('catch-up/start', span),
        steer: action => ask('catch-up/steer', { action }),
    };
}

/**
 * What `/bme-catch-up` does with its word.
 * @param {Reader} reader
 * @param {string} word
 * @returns {Promise<CatchUpState>}
 */
export function catchUpBy(reader, word) {
    const whole = { first: 0, last: null, batch: 1, again: false };
    switch (word) {
        case 'start':
            return reader.start(whole);
        case 'pause':
        case 'resume':
        case 'cancel':
            return reader.steer(word);
        default:
            return reader.price(whole);
    }
}

/**
 * What the user asks of the memory of the open chat.
 *
 * @typedef {import('./open-chat.js').OpenChat} OpenChat
 * @typedef {import('./protocol.js').Brought} Brought
 * @typedef {import('./protocol.js').Drawing} Drawing
 * @typedef {import('./protocol.js').Extracted} Extracted
 * @typedef {import('./protocol.js').Imported} Imported
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./protocol.js').MemoryCard} MemoryCard
 * @typedef {import('./protocol.js').OtherChat} OtherChat
 * @typedef {import('./protocol.js').RecordList} RecordList
 * @typedef {import('./protocol.js').Renewed} Renewed
 * @typedef {import('./protocol.js').Statistics} Statistics
 * @typedef {import('./protocol.js').Tended} Tended
 */

/** A long chat is drawn, exported or brought over within it; what asks models may take longer. */
const TIMEOUT_MS = 60_000;
const WORK_TIMEOUT_MS = 600_000;

export class Memory {
    #chat;

    /** @param {Pick<OpenChat, 'attachment'>} chat */
    constructor(chat) {
        this.#chat = chat;
    }

    get isOpen() {
        return this.#chat.attachment !== null;
    }

    /**
     * @param {{ most: number, query: string, types: string[] }} wanted
     * @returns {Promise<Drawing>}
     */
    draw(wanted) {
        return this.#ask('graph/draw', wanted);
    }

    /**
     * @param {string} node
     * @returns {Promise<MemoryCard>}
     */
    look(node) {
        return this.#ask('graph/look', { node });
    }

    /**
     * @param {string} node
     * @param {boolean} pinned
     */
    pin(node, pinned) {
        return this.#ask('graph/pin', { node, pinned });
    }

    /**
     * @param {string} node
     * @param {boolean} archived
     */
    archive(node, archived) {
        return this.#ask('graph/archive', { node, archived });
    }

    /** @returns {Promise<Statistics>} */
    count() {
        return this.#ask('chat/statistics');
    }

    /** @returns {Promise<Extracted>} */
    read() {
        return this.#ask('chat/extract', {}, WORK_TIMEOUT_MS);
    }

    /**
     * @param {string} task
     * @returns {Promise<Tended>}
     */
    tend(task) {
        return this.#ask('chat/upkeep', { tasks: [task] }, WORK_TIMEOUT_MS);
    }

    /**
     * @param {boolean} confirm without it the price is told
     * @returns {Promise<Renewed>}
     */
    renewVectors(confirm) {
        return this.#ask('embeddings/rebuild', { confirm });
    }

    /** @returns {Promise<OtherChat[]>} */
    async others() {
        return (await this.#ask('chat/others')).chats;
    }

    /**
     * @param {string} source
     * @returns {Promise<Brought>}
     */
    bring(source) {
        return this.#ask('chat/bring', { source });
    }

    /**
     * @param {number|null} before
     * @returns {Promise<RecordList>}
     */
    history(before) {
        return this.#ask('history/list', { before, limit: 30 });
    }

    /**
     * @param {readonly string[]} records
     * @param {boolean} isOff undone from now on
     */
    mark(records, isOff) {
        return this.#ask(isOff ? 'history/undo' : 'history/redo', { records });
    }

    /**
     * @param {boolean} original as the original ST-BME reads it
     * @returns {Promise<string>}
     */
    async exported(original) {
        return (await this.#ask('export', { original })).text;
    }

    /**
     * @param {JsonObject} state
     * @returns {Promise<Imported>}
     */
    take(state) {
        return this.#ask('import', { state: JSON.stringify(state) });
    }

    /**
     * @param {string} command
     * @param {object} [body]
     * @param {number} [timeoutMs]
     * @returns {Promise<any>}
     */
    async #ask(command, body = {}, timeoutMs = TIMEOUT_MS) {
        if (this.#chat.attachment === null) throw new Error('no chat is attached');
        return await this.#chat.attachment.ask(command, body, { timeoutMs });
    }
}

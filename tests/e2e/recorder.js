// Runs in the page before SillyTavern: notes its events and the extension's interceptor calls.
(() => {
    const recorder = {
        /** @type {{name: string, at: number, args: unknown[], chatLength: number}[]} */
        events: [],
        /** @type {{type: string, startedAt: number, endedAt: number | null}[]} */
        interceptorCalls: [],
        generationsStarted: 0,
        generationsEnded: 0,
        groupRunsFinished: 0,
        idleSince: 0,
        script: null, // SillyTavern's main module
    };
    globalThis.recorder = recorder;

    function summarise(value) {
        if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value;
        return Array.isArray(value) ? `[${value.length}]` : typeof value;
    }

    function note(name, args) {
        const context = globalThis.SillyTavern.getContext();
        recorder.events.push({ name, at: performance.now(), args: args.map(summarise), chatLength: context.chat.length });
        const isDryRun = args[2] === true;
        if (name === 'GENERATION_STARTED' && !isDryRun) recorder.generationsStarted++;
        if (name === 'GENERATION_ENDED') recorder.generationsEnded++;
        if (name === 'GROUP_WRAPPER_FINISHED') recorder.groupRunsFinished++;
    }

    recorder.listen = async () => {
        recorder.script = await import('/script.js');
        const { eventSource, eventTypes } = globalThis.SillyTavern.getContext();
        for (const [name, type] of Object.entries(eventTypes)) {
            if (name !== 'STREAM_TOKEN_RECEIVED') eventSource.on(type, (...args) => note(name, args));
        }
    };

    recorder.timeInterceptor = (name) => {
        const original = globalThis[name];
        globalThis[name] = async (chat, contextSize, abort, type) => {
            const call = { type, startedAt: performance.now(), endedAt: null };
            recorder.interceptorCalls.push(call);
            try {
                return await original(chat, contextSize, abort, type);
            } finally {
                call.endedAt = performance.now();
            }
        };
    };

    /** Whether all that happens at SillyTavern's start is done. Its event would be missed by who listens in between. */
    recorder.isReady = () => {
        const { eventSource, eventTypes } = globalThis.SillyTavern.getContext();
        return eventSource.autoFireLastArgs.has(eventTypes.APP_READY);
    };

    /**
     * Whether nothing was generated or saved for `quietMs`, asked again and again. It answers at once: who waits for a
     * function in a page takes a promise for a yes.
     */
    recorder.isIdle = (quietMs) => {
        if (recorder.script.isGenerating() || recorder.script.isChatSaving) {
            recorder.idleSince = 0;
            return false;
        }
        recorder.idleSince ||= performance.now();
        return performance.now() - recorder.idleSince >= quietMs;
    };
})();

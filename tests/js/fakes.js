/** Stand-ins for SillyTavern and the server, made by hand where a test needs one. */

/**
 * A message as SillyTavern keeps it.
 * @param {string} mes
 * @param {object} [rest]
 */
export function message(mes, rest = {}) {
    return { mes, name: 'Mira', is_user: false, is_system: false, extra: {}, ...rest };
}

/** A chat of n messages, user and character in turns. */
export function chatOf(n) {
    return Array.from({ length: n }, (_, floor) =>
        message(`message ${floor}`, floor % 2 ? { name: 'Tess', is_user: true } : {}));
}

/**
 * A connection that answers from a script: each call takes the answer of its command, a value or a function.
 */
export class ScriptedConnection {
    isUp = true;
    givenUp = 0;
    calls = [];

    constructor(answers = {}) {
        this.answers = answers;
    }

    async command(name, body, options = {}) {
        this.calls.push({ name, body, options });
        const answer = this.answers[name] ?? { need: [] };
        return typeof answer === 'function' ? await answer(body, options) : answer;
    }

    giveUp() {
        this.givenUp += 1;
    }

    of(name) {
        return this.calls.filter(call => call.name === name).map(call => call.body);
    }
}

/** A promise that never settles. */
export function never() {
    return new Promise(() => {});
}

/** Let everything run that waits for nothing but its turn. */
export async function settle() {
    for (let round = 0; round < 50; round++) await Promise.resolve();
}

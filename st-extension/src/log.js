/** The only way to the browser's console. */

const PREFIX = '[ST-BME]';

/** @param {...unknown} parts */
export function logDebug(...parts) {
    console.debug(PREFIX, ...parts);
}

/** @param {...unknown} parts */
export function logInfo(...parts) {
    console.info(PREFIX, ...parts);
}

/** @param {...unknown} parts */
export function logWarning(...parts) {
    console.warn(PREFIX, ...parts);
}

/** Elements made by code: text goes in as text, never as HTML. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<Omit<HTMLElementTagNameMap[Tag], 'style'|'children'>>} [properties]
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

/**
 * An element of a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ [attribute: string]: string|number }} [attributes]
 * @param {...(Node|string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function makeSvg(tag, attributes = {}, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}

/**
 * A button in SillyTavern's style that the keyboard reaches too.
 * @param {string} label
 * @param {() => void} press
 * @returns {HTMLButtonElement}
 */
export function makeButton(label, press) {
    return make('button', { type: 'button', className: 'menu_button st-bme-button', onclick: press }, label);
}

/**
 * Show an element or not.
 * @param {HTMLElement} element
 * @param {boolean} isShown
 */
export function show(element, isShown) {
    element.hidden = !isShown;
}

// A page that opens this one behind its own window could time a double click so that the second half lands on the
// button. The button therefore works only after this window has been in front for a moment.
const IN_FRONT_MS = 1000;

const button = document.getElementById('allow');
let timer = 0;

function onFocus() {
    clearTimeout(timer);
    timer = setTimeout(() => { button.disabled = false; }, IN_FRONT_MS);
}

function onBlur() {
    clearTimeout(timer);
    button.disabled = true;
}

window.addEventListener('focus', onFocus);
window.addEventListener('blur', onBlur);
if (document.hasFocus()) {
    onFocus();
}

/** No plugin and no import, so that ESLint may lie anywhere. */

const BROWSER = [
    'AbortController', 'AbortSignal', 'Blob', 'BroadcastChannel', 'PerformanceObserver', 'ResizeObserver',
    'TextDecoderStream', 'TextEncoder', 'URL', 'clearTimeout', 'console', 'crypto', 'document', 'fetch', 'getSelection', 'localStorage', 'location',
    'navigator', 'performance', 'setTimeout', 'structuredClone', 'HTMLElement', 'HTMLInputElement',
    'HTMLTextAreaElement',
];
const NODE = ['process', 'Response', 'ReadableStream', 'Buffer'];

const readOnly = names => Object.fromEntries(names.map(name => [name, 'readonly']));

/** Ways to put a text in as HTML. */
const HTML_SINKS = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'writeln', 'srcdoc'];

const RULES = {
    'constructor-super': 'error',
    curly: ['error', 'multi-line'],
    'default-case-last': 'error',
    eqeqeq: 'error',
    'for-direction': 'error',
    'getter-return': 'error',
    indent: ['error', 4, { SwitchCase: 1 }],
    'max-lines': ['error', 350],
    'max-lines-per-function': ['error', { max: 40, IIFEs: true }],
    'max-params': ['error', 5],
    'no-cond-assign': 'error',
    'no-const-assign': 'error',
    'no-constant-condition': ['error', { checkLoops: false }],
    'no-dupe-args': 'error',
    'no-dupe-class-members': 'error',
    'no-dupe-keys': 'error',
    'no-duplicate-case': 'error',
    'no-else-return': 'error',
    'no-eval': 'error',
    'no-fallthrough': 'error',
    'no-implied-eval': 'error',
    'no-new-func': 'error',
    'no-redeclare': 'error',
    'no-restricted-properties': ['error', ...HTML_SINKS.map(property => ({ property, message: 'Use textContent.' }))],
    'no-self-assign': 'error',
    'no-shadow': 'error',
    'no-undef': 'error',
    'no-unreachable': 'error',
    'no-unsafe-finally': 'error',
    'no-unused-private-class-members': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
    'no-var': 'error',
    'prefer-const': 'error',
    quotes: ['error', 'single', { avoidEscape: true }],
    'require-await': 'error',
    semi: 'error',
    'use-isnan': 'error',
};

export default [
    {
        files: ['st-extension/**/*.js'],
        languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: readOnly(BROWSER) },
        rules: { ...RULES, 'no-console': 'error', 'no-restricted-globals': ['error', 'SillyTavern', 'jQuery', '$'] },
    },
    { files: ['st-extension/src/log.js'], rules: { 'no-console': 'off' } },
    {
        files: ['tests/js/**/*.js'],
        languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: readOnly([...BROWSER, ...NODE]) },
        rules: { ...RULES, 'max-lines-per-function': 'off', 'no-restricted-properties': 'off' },
    },
];

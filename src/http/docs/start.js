// Swagger UI leaves out names and keyboard access here and there: added whenever it has drawn something.
const MENDS = [
  ['select:not([aria-label])', (each) => each.setAttribute('aria-label', nameOf(each))],
  ['.body-param > textarea:not([aria-label])', (each) => each.setAttribute('aria-label', 'Body')],
  ['pre:not([tabindex])', (each) => each.setAttribute('tabindex', '0')],
  ['.close-modal:not([aria-label])', (each) => each.setAttribute('aria-label', 'Close')],
  // Its name is another than what it shows.
  ['.modal-btn[aria-label]', (each) => each.removeAttribute('aria-label')],
  // Numbers in code are too dark a red.
  [
    '.microlight span[style*="rgb(211, 99, 99)"]',
    (each) => {
      each.style.color = '#ff9a90';
    },
  ],
  // It has no headings of the second level.
  ...[3, 4, 5, 6].map((level) => [
    `h${level}:not([aria-level])`,
    (each) => each.setAttribute('aria-level', level - 1),
  ]),
  // Its main part begins below these.
  ['.information-container:not([role])', (each) => makeRegion(each, 'About the service')],
  ['.scheme-container:not([role])', (each) => makeRegion(each, 'Server and log-in')],
  // It has a table for no table, and no name.
  ['table[role="region"]', (each) => each.removeAttribute('role')],
  // A link within a button cannot be reached; the button does the same.
  ['.opblock-summary-control a[href]', (each) => each.removeAttribute('href')],
];

function nameOf(select) {
  if (select.id === 'servers') return 'Server';
  if (select.classList.contains('examples-select-element')) return 'Example';
  return select.closest('.parameters')?.dataset.paramName ?? 'Media type';
}

function makeRegion(part, name) {
  part.setAttribute('role', 'region');
  part.setAttribute('aria-label', name);
}

function mend(root) {
  for (const [selector, change] of MENDS)
    for (const each of root.querySelectorAll(selector)) change(each);
}

// It has dark colours, and knows of no setting of the system.
const dark = matchMedia('(prefers-color-scheme: dark)');
const useTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', useTheme);
useTheme();

window.addEventListener('load', () => {
  const root = document.getElementById('docs');
  new MutationObserver(() => mend(root)).observe(root, { childList: true, subtree: true });
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#docs',
    deepLinking: true,
    persistAuthorization: true,
    validatorUrl: null,
  });
});

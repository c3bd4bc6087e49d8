/**
 * The card of the selected car: who it is, how it drives, and its twelve features as switches.
 *
 * @typedef {{name: string, group: string, description: string}} Feature
 * @typedef {{declared: Record<string, boolean>, effective: Record<string, string>,
 *   missing: Record<string, string[]>}} FeatureState
 */

/** Others may switch the same car: what is shown is never much older than this. */
const REFRESH_MS = 3000;

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id @param {string} text */
function show(id, text) {
  const target = element(id);
  if (target.textContent !== text) target.textContent = text;
}

/** @param {string} name */
function spoken(name) {
  if (name === 'aeb' || name === 'esc') return name.toUpperCase();
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

/** @param {Feature} feature */
function switchFor({ name, description }) {
  const button = document.createElement('button');
  Object.assign(button, {
    type: 'button',
    className: 'feature',
    role: 'switch',
    title: description,
  });
  button.dataset.name = name;
  for (const className of ['name', 'effect', 'knob']) {
    const span = document.createElement('span');
    span.className = className;
    span.textContent = className === 'name' ? spoken(name) : '';
    button.append(span);
  }
  return button;
}

export class Panel {
  /** @type {import('./stream.js').FleetEntry | undefined} */
  #car;
  #roadNames;

  /** @param {readonly Feature[]} catalogue @param {readonly {id: string, name: string}[]} roads */
  constructor(catalogue, roads) {
    this.#roadNames = new Map(roads.map(({ id, name }) => [id, name]));
    for (const group of ['function', 'sensor', 'actuator']) {
      const title = document.createElement('h3');
      title.textContent = `${spoken(group)}s`;
      const members = catalogue.filter((feature) => feature.group === group);
      element('features').append(title, ...members.map(switchFor));
    }
    element('features').onclick = (event) => {
      const button = /** @type {HTMLElement} */ (event.target).closest('button');
      const name = button?.dataset.name;
      if (name) this.#call('PATCH', '', { [name]: button.ariaChecked !== 'true' });
    };
    element('reset').onclick = () => this.#call('POST', '/reset');
    setInterval(() => !document.hidden && this.#call('GET', ''), REFRESH_MS);
  }

  /** @param {import('./stream.js').FleetEntry | undefined} car */
  select(car) {
    this.#car = car;
    element('panel').hidden = !car;
    if (!car) return;
    show('model', car.model);
    show('plate', car.plate);
    show('vin', car.vin);
    show('message', '');
    element('swatch').style.background = car.colour;
    this.#call('GET', '');
  }

  /** @param {import('./stream.js').Vehicle} car */
  update(car) {
    const acting = [car.aeb && 'AEB', car.esc && 'ESC', car.evasive && 'evading'].filter(Boolean);
    show('speed', `${Math.round(car.speed * 3.6)} km/h`);
    show('gap', car.gap === null ? 'free' : `${car.gap.toFixed(1)} m`);
    show('status', acting.join(', ') || car.status);
    element('status').dataset.alarm = String(car.status === 'crashed' || acting.length > 0);
    show('road', this.#roadNames.get(car.road) ?? 'Junction');
  }

  /**
   * Calls the car's feature endpoint and shows what comes back.
   *
   * @param {string} method @param {string} path @param {Record<string, boolean>} [body]
   */
  async #call(method, path, body) {
    const car = this.#car;
    if (!car) return;
    try {
      const answer = await fetch(`/api/v1/vehicle/features${path}`, {
        method,
        headers: { 'X-VIN': car.vin, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const content = await answer.json();
      if (car !== this.#car) return;
      show('message', answer.ok ? '' : content.hint);
      if (answer.ok) this.#render(content);
    } catch {
      show('message', 'The service cannot be reached.');
    }
  }

  /** @param {FeatureState} state */
  #render({ declared, effective, missing }) {
    for (const button of element('features').querySelectorAll('button')) {
      const name = button.dataset.name ?? '';
      const effect = /** @type {HTMLElement} */ (button.querySelector('.effect'));
      button.ariaChecked = String(declared[name]);
      button.dataset.effect = effect.textContent = effective[name] ?? '';
      effect.title = missing[name] ? `lacks ${missing[name].map(spoken).join(', ')}` : '';
    }
  }
}

import { signal } from '@preact/signals';

/** What stands behind the `#` of the address: `#/customers/anna` has the parts customers and anna. */
export interface Route {
  /** Empty at the start. */
  page: string;
  /** Of what the page shows; empty where that needs none. */
  id: string;
  query: URLSearchParams;
}

/** Where the visitor is. */
export const route = signal(read());

addEventListener('hashchange', () => {
  route.value = read();
});

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [page = '', id = ''] = path.split('/').map(decoded);
  return { page, id, query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Goes to a page, such as `cars`. */
export function goTo(path: string): void {
  location.hash = `#/${path}`;
}

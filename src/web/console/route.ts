import { signal } from '@preact/signals';

/** The fragment of the address: `#/customers/anna` has the page `customers` and the id `anna`. */
export interface Route {
  /** Empty on the start page. */
  page: string;
  /** Empty where the page needs none. */
  id: string;
  query: URLSearchParams;
}

/** The current page. */
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

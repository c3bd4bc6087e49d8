type Area = 'localStorage' | 'sessionStorage';

/** Null also where the browser stores nothing for this page. */
export function readStored(area: Area, key: string): string | null {
  try {
    return window[area].getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value, or with null removes it. Where the browser refuses, the page goes on without. */
export function store(area: Area, key: string, value: string | null): void {
  try {
    if (value === null) window[area].removeItem(key);
    else window[area].setItem(key, value);
  } catch {
    // The value lasts as long as the page.
  }
}

/** What this browser remembers of a visitor: that something is so. */

const YES = 'yes';

export function isKept(key: string): boolean {
  try {
    return localStorage.getItem(key) === YES;
  } catch {
    // A browser may keep nothing for anybody.
    return false;
  }
}

export function keep(key: string): void {
  try {
    localStorage.setItem(key, YES);
  } catch {
    // It holds as long as the page.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // It was not kept either.
  }
}

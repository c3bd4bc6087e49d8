/** The part of a URL between `//` and the next slash. */
function authorityOf(url: string): string {
  return url.split('/')[2] ?? '';
}

/** Throws if it is badly encoded. */
export function accountOf(url: string): { username?: string; password?: string } {
  const authority = authorityOf(url);
  const end = authority.lastIndexOf('@');
  if (end < 0) return {};
  const [name = '', ...rest] = authority.slice(0, end).split(':');
  const [username, password] = [decodeURIComponent(name), decodeURIComponent(rest.join(':'))];
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

/** Throws TypeError if one is no host and port. */
export function serversOf(url: string, standardPort: number): { host: string; port: number }[] {
  const authority = authorityOf(url);
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(',')
    .map((each) => {
      const { hostname, port } = new URL(`redis://${each}`);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || standardPort) };
    });
}

/** Whether the client can read a URL that has the form of one. */
export function isReadable(url: string): boolean {
  try {
    accountOf(url);
    serversOf(url, 0);
    return /^rediss?:/.test(url) ? URL.canParse(url) : true;
  } catch {
    return false;
  }
}

/** What the node says to the page in a `<meta>` element of this name; empty where it says nothing. */
export function pageSetting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

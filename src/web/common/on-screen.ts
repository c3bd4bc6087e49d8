/** Begins something whenever an element comes onto the screen, and ends it when that leaves. Returns what ends both. */
export function whileOnScreen(element: Element, begin: () => () => void): () => void {
  let end: (() => void) | undefined;
  const observer = new IntersectionObserver((entries) => {
    if (entries.at(-1)?.isIntersecting) end ??= begin();
    else {
      end?.();
      end = undefined;
    }
  });
  observer.observe(element);
  return () => {
    observer.disconnect();
    end?.();
  };
}

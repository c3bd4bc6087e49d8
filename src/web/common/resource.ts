import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Something that is fetched: what of it there is, and how the last attempt went. */
export interface Resource<T> {
  /** The latest there is, also while a newer one is fetched or could not be. */
  value: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  reload(): void;
  /** Puts in what a change has answered, without asking again. */
  set(change: (value: T) => T): void;
}

/**
 * Fetches when first shown and whenever one of `inputs` is another.
 * @param load stops when its signal says so
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Resource<T> {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<Error>();
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    latest.current(stop.signal).then(
      (fetched) => {
        if (stop.signal.aborted) return;
        setValue(fetched);
        setError(undefined);
        setLoading(false);
      },
      (reason: unknown) => {
        if (stop.signal.aborted) return;
        setError(reason instanceof Error ? reason : new Error(String(reason)));
        setLoading(false);
      },
    );
    return () => stop.abort();
  }, [turn, ...inputs]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  const set = useCallback((change: (value: T) => T) => {
    setValue((last) => (last === undefined ? last : change(last)));
  }, []);
  return { value, error, isLoading, reload, set };
}

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Fetched data, and the outcome of the last attempt. */
export interface Resource<T> {
  /** The last value, also while a newer one is loading or has failed. */
  value: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  reload(): void;
  /** Changes the value locally, without a request. */
  set(change: (value: T) => T): void;
}

/**
 * Fetches when the component mounts and whenever one of `inputs` changes.
 * @param load stops when its signal is aborted
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

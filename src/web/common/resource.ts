import { useEffect, useState } from 'preact/hooks';

interface Outcome<T> {
  /** The last value, also while a newer one is loading or has failed. */
  value: T | undefined;
  error: Error | undefined;
}

/** Fetched data, and the outcome of the last attempt. */
export interface Resource<T> extends Outcome<T> {
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
  const [state, setState] = useState<Outcome<T>>({ value: undefined, error: undefined });
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const settle = (outcome: Partial<Outcome<T>>) => {
      if (stop.signal.aborted) return;
      setState((last) => ({ ...last, ...outcome }));
      setLoading(false);
    };
    setLoading(true);
    load(stop.signal).then(
      (value) => settle({ value, error: undefined }),
      (reason: unknown) => {
        settle({ error: reason instanceof Error ? reason : new Error(String(reason)) });
      },
    );
    return () => stop.abort();
  }, [turn, ...inputs]);
  return {
    ...state,
    isLoading,
    reload: () => setTurn((last) => last + 1),
    set: (change) =>
      setState((last) => {
        if (last.value === undefined) return last;
        return { ...last, value: change(last.value) };
      }),
  };
}

/**
 * Repeats a task while the page is visible, `ms` after its last end, and at once when the page
 * becomes visible again. Returns what stops it.
 */
export function whileVisible(ms: number, task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isEnded = false;
  const run = async () => {
    if (isRunning || isEnded || document.hidden) return;
    isRunning = true;
    clearTimeout(timer);
    await task();
    isRunning = false;
    if (!isEnded) timer = setTimeout(run, ms);
  };
  document.addEventListener('visibilitychange', run);
  void run();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', run);
  };
}

/**
 * Repeats a task while the page is visible, `ms` after its last end, and at once when the page
 * becomes visible again. Returns what ends that.
 */
export function whileVisible(ms: number, task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let hasEnded = false;
  const run = async () => {
    if (isRunning || hasEnded || document.hidden) return;
    isRunning = true;
    clearTimeout(timer);
    await task();
    isRunning = false;
    if (!hasEnded) timer = setTimeout(run, ms);
  };
  document.addEventListener('visibilitychange', run);
  void run();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', run);
  };
}

/** An outline on a 20 by 20 grid; the element around it has the accessible name. */
export function Outline({ path }: { path: string }) {
  return (
    <svg class="outline" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
        d={path}
      />
    </svg>
  );
}

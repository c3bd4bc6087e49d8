import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Display } from './display.ts';
import type { Viewer } from './viewer.ts';

interface Page {
  viewer: Viewer;
  display: Display;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('a viewer component is used outside of PageContext');
  return page;
}

export function useViewer(): Viewer {
  return usePage().viewer;
}

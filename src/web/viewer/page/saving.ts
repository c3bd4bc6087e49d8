/** Saves what a replay shows as a file. */
import type { ReplayPlayer } from './replay-player.ts';

const VIDEO_TYPE = 'video/webm';
const FRAMES_PER_S = 30;
/** Of a video of a city. */
const BITS_PER_S = 6_000_000;

export const canSaveVideo = (): boolean =>
  typeof MediaRecorder === 'function' && MediaRecorder.isTypeSupported(VIDEO_TYPE);

/** The incident with its replays, as JSON. */
export function saveAsJson({ incident, asItWas, asItWouldHaveBeen }: ReplayPlayer): void {
  const content = {
    incident: incident.peek(),
    replay: asItWas.peek(),
    counterfactual: asItWouldHaveBeen.peek(),
  };
  const text = JSON.stringify(content, null, 1);
  save(new Blob([text], { type: 'application/json' }), `${nameOf(incident.peek()?.id)}.json`);
}

/**
 * Plays a replay from its beginning and records what the canvas shows of it. Resolves at its end, to the name of the
 * file; to undefined if another incident was opened meanwhile.
 */
export async function saveAsVideo(
  replay: ReplayPlayer,
  canvas: HTMLCanvasElement,
): Promise<string | undefined> {
  const stream = canvas.captureStream(FRAMES_PER_S);
  try {
    return await record(replay, stream);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function record(replay: ReplayPlayer, stream: MediaStream): Promise<string | undefined> {
  const recorder = new MediaRecorder(stream, {
    mimeType: VIDEO_TYPE,
    videoBitsPerSecond: BITS_PER_S,
  });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => void parts.push(data);
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  const id = replay.id.peek();
  recorder.start();
  await replay.playThrough();
  recorder.stop();
  await stopped;
  if (id !== replay.id.peek()) return undefined;
  const name = `${nameOf(id)}.webm`;
  save(new Blob(parts, { type: VIDEO_TYPE }), name);
  return name;
}

const nameOf = (id: string | null | undefined): string => `incident-${id ?? ''}`;

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

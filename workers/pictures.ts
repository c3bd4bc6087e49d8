/** The Piscina entry of the thread that draws the pictures of incidents: every export is a task. */
import './low-priority.ts';
import { type PictureTask, pictureOf } from '../src/picture/picture.ts';

export const draw = (task: PictureTask): Promise<Uint8Array> => pictureOf(task);

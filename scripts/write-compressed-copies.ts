/** Writes compressed copies beside the files that the command names. */
import { writeCompressedCopies } from './compressed-copies.ts';

await writeCompressedCopies(process.argv.slice(2));

/** A hash of 64 bits as the API writes it: 16 hexadecimal digits. */
export function hashDigits(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

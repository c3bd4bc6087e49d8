/**
 * For a change that may be attempted again: pays only for what no attempt has paid for yet.
 * @param pay called with a number of records; may throw
 */
export function payingOnce(pay: (records: number) => void): (records: number) => void {
  let paid = 0;
  return (records) => {
    if (records <= paid) return;
    pay(records - paid);
    paid = records;
  };
}

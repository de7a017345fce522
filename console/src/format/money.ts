/** Decimal text such as `1450.00` as people read it: `1,450.00`. The digits are never computed with. */
export function readableMoney(amount: string): string {
  const [whole = '', cents = '00'] = amount.split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
}

/** The single values of an answer; those that only say that it is a success left out. */
function leavesOf(value: unknown, isTop = true): unknown[] {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [value];
  return Object.entries(value).flatMap(([name, each]) => {
    const saysSuccess = name === 'header_status' || (name === 'status' && each === 1);
    return isTop && saysSuccess ? [] : leavesOf(each, isTop && name === 'msg');
  });
}

/** The forms in which a client may return a value of the wire. */
function formsOf(value: unknown): unknown[] {
  const text = String(value);
  const forms: unknown[] = [value];
  if (text === 'true' || text === 'false') forms.push(text === 'true');
  if (/^\d+(\.\d+)?$/.test(text)) forms.push(Math.round(Number(text) * 100));
  if (/^-?\d+$/.test(text)) forms.push(Number(text));
  if (/^\d{4}-\d{2}-\d{2} [\d:]{8}$/.test(text)) {
    forms.push(new Date(`${text.replace(' ', 'T')}+03:00`).toISOString());
  }
  return forms;
}

/** What is in the answer of the service and not in what the client returned. */
export function missingIn(value: unknown, answer: unknown): unknown[] {
  const returned = new Set(leavesOf(value, false));
  return leavesOf(answer).filter((leaf) => !formsOf(leaf).some((form) => returned.has(form)));
}

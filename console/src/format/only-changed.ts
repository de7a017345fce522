/**
 * The fields of a form that the person has changed. The others are not sent: a colleague may have changed
 * them since the form was opened.
 * @param shown what the form said when it was opened.
 */
export function onlyChanged(
  fields: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== String(shown[name])),
  );
}

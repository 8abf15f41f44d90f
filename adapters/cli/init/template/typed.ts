/** Text that only TypeScript has: empty in a project in JavaScript. */
export type Types = (text: string) => string;

/** Makes what keeps or drops the parts of a template that are types, so that both languages have one template. */
export function typed(isTyped: boolean): Types {
  return (text) => (isTyped ? text : "");
}

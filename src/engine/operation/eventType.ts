/** Matches one segment of an event type; segments are separated by dots. */
export const typeSegment = /^[a-zA-Z0-9_]+$/;

/** Maximum number of characters of an event type or a pattern. */
export const typeCharacters = 256;

/** Whether a text is a valid event type: segments of letters, digits and `_`, with dots between them. */
export function isEventType(text: string): boolean {
  return typeof text === "string" && text.length <= typeCharacters && text.split(".").every((segment) => typeSegment.test(segment));
}

/** Whether a text is an event type in the form that the service declares: two segments or more, such as `order.created`. */
export function isDotNotation(text: string): boolean {
  return isEventType(text) && text.includes(".");
}

/** A segment of an event type: between its ends and its dots. */
export const typeSegment = /^[a-zA-Z0-9_]+$/;

/** Most characters of an event type or a pattern. */
export const typeCharacters = 256;

/** Whether a text names events: segments of letters, digits and `_`, with dots between them. */
export function isEventType(text: string): boolean {
  return typeof text === "string" && text.length <= typeCharacters && text.split(".").every((segment) => typeSegment.test(segment));
}

/** Whether a text names events as the service declares them: of two segments or more, as `order.created`. */
export function isDotNotation(text: string): boolean {
  return isEventType(text) && text.includes(".");
}

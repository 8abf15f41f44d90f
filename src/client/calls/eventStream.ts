import { UnexpectedAnswerError } from "../errors.js";

/** What the lines before a blank line say. A member that they do not have is absent. */
export interface EventBlock {
  /** The type of the event: `message` if the stream names none. */
  readonly event: string;
  /** The lines of the data. Without data there is no event to tell of: the block moves the position, or sets the time. */
  readonly data?: string;
  /** The position after this block. An empty text resets it. */
  readonly id?: string;
  /** How long to wait before a reconnection, in milliseconds. */
  readonly retryMs?: number;
}

/** The most characters of one block. */
const maxEventLength = 2 ** 20;

/**
 * A parser of a stream of events, for one answer. It takes the chunks of the body in their order and returns the blocks that each of them ends. Lines after the last blank line are no block.
 *
 * @throws {UnexpectedAnswerError} for a block that is longer than `maxLength` characters
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * @example
 * const parse = eventStreamParser();
 * parse(new TextEncoder().encode("id: 7\ndata: {}\n\n")); // [{ event: "message", id: "7", data: "{}" }]
 */
export function eventStreamParser(maxLength: number = maxEventLength): (chunk: Uint8Array) => EventBlock[] {
  // It takes the byte order mark away, and replaces what is not UTF-8.
  const decoder = new TextDecoder();
  let isAfterReturn = false;
  let rest = "";
  let length = 0;
  let fields: Fields = {};

  return (chunk) => {
    let text = decoder.decode(chunk, { stream: true });
    const blocks: EventBlock[] = [];
    if (text === "") return blocks;
    // The second half of an end of line, which has ended the line already.
    if (isAfterReturn && text.startsWith("\n")) text = text.slice(1);
    isAfterReturn = text.endsWith("\r");
    const [first = "", ...others] = text.split(/\r\n|\n|\r/);
    rest += first;
    for (const next of others) {
      length += rest.length;
      if (rest !== "") addLine(fields, rest);
      else {
        if (Object.keys(fields).length > 0) blocks.push(blockOf(fields));
        [fields, length] = [{}, 0];
      }
      rest = next;
      if (length > maxLength) break;
    }
    if (length + rest.length > maxLength) throw new UnexpectedAnswerError(200, `an event that is longer than ${maxLength} characters`);
    return blocks;
  };
}

interface Fields {
  event?: string;
  data?: string;
  id?: string;
  retryMs?: number;
}

/** Adds what a line says. Comments begin with a colon, so their field has no name. */
function addLine(fields: Fields, line: string): void {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
  if (name === "data") fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
  else if (name === "event") fields.event = value;
  else if (name === "id" && !value.includes("\0")) fields.id = value;
  else if (name === "retry" && /^\d+$/.test(value)) fields.retryMs = Number(value);
}

function blockOf({ event, ...others }: Fields): EventBlock {
  return { event: event || "message", ...others };
}

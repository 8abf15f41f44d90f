/** An event as a listener of `EventSource` hears of it. */
export interface HeardEvent {
  readonly event: string;
  readonly lastEventId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly data: any;
}

/** What is to be heard of a stream, by the rules of the HTML standard; what is not yet whole is left out. */
export function parseEvents(text: string): {
  readonly events: readonly HeardEvent[];
  readonly comments: number;
  readonly retryMs: number | undefined;
} {
  const events: HeardEvent[] = [];
  let [comments, retryMs, lastEventId, event, data]: [number, number | undefined, string, string, string[]] = [0, undefined, "", "", []];
  for (const line of text.split(/\r\n|\n|\r/).slice(0, -1)) {
    if (line === "") {
      if (data.length > 0) events.push({ event: event || "message", lastEventId, data: JSON.parse(data.join("\n")) });
      [event, data] = ["", []];
      continue;
    }
    const [name = "", value = ""] = line.split(/:(.*)/s, 2).map((part, index) => (index === 1 ? part.replace(/^ /, "") : part));
    if (line.startsWith(":")) comments += 1;
    else if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id") lastEventId = value;
    else if (name === "retry") retryMs = Number(value);
    else throw new Error(`A stream has no field "${name}".`);
  }
  return { events, comments, retryMs };
}

import { type ReceivedHeaders, verifyWebhook, type WebhookEvent, WebhookVerificationError } from "restwright/webhooks";

/** What a receiver answers. */
export interface Reception {
  readonly status: 200 | 401 | 500;
  /** For people who read the sender's log. */
  readonly text: string;
}

/** Takes a delivery as it arrived, whatever the framework. */
export type Receive = (headers: ReceivedHeaders, rawBody: Uint8Array) => Promise<Reception>;

export interface ReceiverOptions {
  /** Two while a secret is changed. */
  readonly secrets: readonly string[];
  /** Called once an event, however often that is delivered. Where it throws, the sender tries again. */
  onEvent(event: WebhookEvent): Promise<void> | void;
}

/** Ids are remembered for this many events. A real receiver keeps them in its database, and commits them with what it does for the event. */
const rememberedEvents = 10_000;

/** Verifies, takes each event once, and answers so that the sender knows what to do: 2xx ends it, 401 ends it too, 500 is tried again. */
export function createReceiver({ secrets, onEvent }: ReceiverOptions): Receive {
  const taken = new Map<string, Promise<void>>();

  function take(event: WebhookEvent): Promise<void> {
    const work = (async () => onEvent(event))();
    taken.set(event.id, work);
    const [oldest] = taken.keys();
    if (taken.size > rememberedEvents && oldest !== undefined) taken.delete(oldest);
    return work;
  }

  return async (headers, rawBody) => {
    let event: WebhookEvent;
    try {
      event = verifyWebhook({ headers, rawBody, secrets });
    } catch (error) {
      if (error instanceof WebhookVerificationError) return { status: error.status, text: `${error.code}: ${error.message}\n` };
      throw error;
    }
    const known = taken.get(event.id);
    try {
      await (known ?? take(event));
    } catch {
      taken.delete(event.id);
      return { status: 500, text: "The event could not be dealt with; send it again.\n" };
    }
    return { status: 200, text: known === undefined ? "taken\n" : "known\n" };
  };
}

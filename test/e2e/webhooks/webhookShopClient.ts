import { setTimeout as sleep } from "node:timers/promises";

/** What the tests look at in answers about webhooks. */
export interface WebhookBody {
  readonly id: string;
  readonly code: string;
  readonly active: boolean;
  readonly secret: string;
  readonly verificationSecret: string;
  readonly secretHint: string;
  readonly previousSecretUntil: string | null;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly attempts: readonly { readonly n: number; readonly status: number; readonly body: string }[];
  readonly data: readonly WebhookBody[];
  readonly errors: readonly { readonly code: string; readonly pointer?: string }[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: WebhookBody;
}

/** Sends requests to a shop as one principal. */
export type Client = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** @param token of the principal; nobody's where there is none */
export function clientOf(origin: string, token?: string): Client {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text === "" ? {} : JSON.parse(text)) as WebhookBody };
  };
}

/** Asks until the answer is as wanted. @throws {Error} after ten seconds */
export async function untilAnswer(ask: () => Promise<Answer>, isWanted: (body: WebhookBody) => boolean): Promise<WebhookBody> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const { body } = await ask();
    if (isWanted(body)) return body;
    if (waitedMs > 30_000) throw new Error(`The answer stayed ${JSON.stringify(body)}.`);
    await sleep(50);
  }
}

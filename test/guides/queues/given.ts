import type { ordersOf } from "./orders.js";

/** The data of the events. */
export interface Order {
  readonly orderId: number;
  readonly email: string;
}

/** What each recipe takes as given. */
export interface Given {
  readonly service: ReturnType<typeof ordersOf>;
  /** The address of the engine. */
  readonly url: string;
  /** The address of the engine for a worker in another process. */
  readonly workerUrl: string;
  /** The name of the queue or stream. */
  readonly name: string;
  readonly ship: (eventId: string | undefined, order: Order) => Promise<void>;
  /** Notes that a connection failed; each client goes on by itself. */
  readonly log: (error: Error) => void;
}

/** The two ends of a recipe. */
export interface Ends {
  readonly closeWorker: () => Promise<unknown>;
  readonly closeSender: () => Promise<unknown>;
}

import type { Place } from "./listener.js";
import type { Receive } from "./receive.js";

/** Binds a receiver to a framework; resolves to the port. */
export type StartHost = (receive: Receive, place: Place) => Promise<number>;

import type { UserQuery } from "./schema.js";
import type { Place } from "./user.js";

/** Which way the keys of a sorted list run; the id settles ties. */
export interface Order {
  readonly createdAt?: "ASC" | "DESC";
  readonly id: "ASC" | "DESC";
}

/** The orders of the API, forwards and backwards. */
export const orders: Record<UserQuery["sort"], Record<Place["direction"], Order>> = {
  id: { after: { id: "ASC" }, before: { id: "DESC" } },
  "-id": { after: { id: "DESC" }, before: { id: "ASC" } },
  createdAt: { after: { createdAt: "ASC", id: "ASC" }, before: { createdAt: "DESC", id: "DESC" } },
  "-createdAt": { after: { createdAt: "DESC", id: "DESC" }, before: { createdAt: "ASC", id: "ASC" } },
};

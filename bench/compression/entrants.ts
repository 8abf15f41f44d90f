/** A server: who compresses, on which host. */
export interface Entrant {
  readonly host: "express" | "fastify" | "hono";
  readonly by: "restwright" | "host" | "nobody";
}

export const path = "/list";

/** A list of 100 users, 24 KB. */
export const body = JSON.stringify({
  data: Array.from({ length: 100 }, (_, index) => ({
    id: `01J${(index * 7_919).toString(36).toUpperCase().padStart(23, "0")}`,
    email: `user${index}@example.com`,
    name: `${["Ada Lovelace", "Alan Turing", "Grace Hopper"][index % 3]} ${index}`,
    status: index % 2 === 0 ? "active" : "inactive",
    role: "member",
    createdAt: new Date(1_700_000_000_000 + index * 118_368_000).toISOString(),
    address: { city: ["Berlin", "Paris", "Zürich"][index % 3], country: "DE", postalCode: String(10_000 + index * 37) },
    tags: ["a", `b${index % 9}`],
  })),
});

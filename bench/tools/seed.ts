import type { NewUser } from "../floor/user.js";

/** Rows in the table when measuring begins. */
export const seededRows = 10_000;

const firstInstant = Date.UTC(2025, 0, 1);
const minuteMs = 60_000;

/**
 * The same users for every server: 200 rows of each of 50 names; 400 users are inactive, 200 of them called "Customer 25". Instants are in another
 * order than ids.
 */
export function seedUsers(): NewUser[] {
  return Array.from({ length: seededRows }, (_, index) => seedUser(index));
}

/** One of them. */
export function seedUser(index: number): NewUser {
  const createdAt = new Date(firstInstant + ((index * 7_919) % seededRows) * minuteMs);
  return {
    status: index % 25 === 0 ? "inactive" : "active",
    createdAt,
    updatedAt: createdAt,
    name: `Customer ${index % 50}`,
    email: `customer.${index}@example.com`,
    preferences: { newsletter: index % 3 === 0, locale: "en" },
    tags: ["customer", `segment-${index % 7}`],
    address: { city: "Oslo", country: "Norway" },
    version: `01J0000000${String(index).padStart(16, "0")}`,
  };
}

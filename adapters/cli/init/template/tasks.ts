/** The collection that a project begins with. */
export const tasksFile = `import { defineResource } from "restwright";
import { z } from "zod";

/** Tasks. The service sets the fields in "generated"; clients cannot. */
export const tasks = defineResource("tasks", {
  schema: z.object({
    id: z.int(),
    title: z.string().min(1).max(200),
    isDone: z.boolean().default(false),
    createdAt: z.date(),
    updatedAt: z.date(),
  }),
  generated: {
    id: "increment",
    createdAt: "createdAt",
    updatedAt: "updatedAt",
  },
});
`;

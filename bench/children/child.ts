/** The child's side of `Stage.start`: reports that it is ready, answers questions, ends with its parent. */
export function serveParent(options: {
  /** The first message. */
  readonly ready: object;
  readonly answer: (question: never) => Promise<object>;
  readonly stop: () => Promise<void>;
}): void {
  process.on('message', (question) => {
    options.answer(question as never).then(
      (answer) => process.send?.(answer),
      (error: unknown) => process.send?.({ failed: String(error) }),
    );
  });
  process.once('disconnect', () => {
    void options.stop().finally(() => process.exit(0));
  });
  process.send?.(options.ready);
}

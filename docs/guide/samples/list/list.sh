# bash list.sh 2026-11-01
. ./malipo.sh

cursor=
until [ "$cursor" = end ]; do
  call GET "/v1/payments?vid=$vid&status=SUCCESS&from=$1&limit=100$cursor" >/dev/null ||
    { echo "$answer" && exit 1; }
  printf '%s\n' "$answer" | tr '{' '\n' |
    sed -n 's/.*"reference":"\([^"]*\)".*"amount_cents":"\([0-9]*\)".*/\1 \2/p'
  next=$(field next_cursor)
  cursor=${next:+&cursor=$next}
  cursor=${cursor:-end}
done

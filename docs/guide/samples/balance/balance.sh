# bash balance.sh
. ./malipo.sh

call GET "/v1/balance?vid=$vid" >/dev/null || { echo "$answer" && exit 1; }
echo "$(field float_cents) cents in the float, $(field reserved_cents) reserved"
